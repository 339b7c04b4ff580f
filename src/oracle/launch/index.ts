/** Launches of Triton's modules: `launched(files)('k.ttgir', { launch: 'launch.json' })` gives a program and its inputs. */
export { decodeLaunch, dtypeNamed, launchSchema, launchWire, type LaunchFile } from './file.js'
export { launched, type Asking, type Brought, type LaunchedModule } from './launched.js'
export { quoteOf } from './quote.js'
export { withoutOperations } from './without.js'
