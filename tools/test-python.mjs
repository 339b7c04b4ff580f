// The tests of the Python package, in every Python that they speak of: `npm run test:python`, behind a build.
//
//     TCSPEC_JAX_0_10_2=/venvs/jax/bin/python TCSPEC_TRITON_3_6_0=... npm run test:python [words for pytest]
//
// A Python is the one that its variable names, or the first on the path that has the version. What is not there is skipped, and the end says so.
import { spawnSync } from 'node:child_process'
import console from 'node:console'
import process from 'node:process'
import { fileURLToPath, URL } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const wanted = [
  { name: 'python3 alone', variable: 'TCSPEC_PYTHON3', has: () => true, pytest: false },
  { name: 'JAX 0.10.2', variable: 'TCSPEC_JAX_0_10_2', has: ({ jax }) => jax === '0.10.2', pytest: true },
  { name: 'JAX 0.11.2', variable: 'TCSPEC_JAX_0_11_2', has: ({ jax }) => jax === '0.11.2', pytest: true },
  {
    name: 'Triton 3.6.0',
    variable: 'TCSPEC_TRITON_3_6_0',
    has: ({ triton }) => triton === '3.6.0',
    pytest: true,
  },
]
const onPath = ['python3', 'python', ...[10, 11, 12, 13, 14].map((minor) => `python3.${minor}`)]

const question = `
import json, sys
from importlib import metadata
def version(name):
    try:
        return metadata.version(name).split("+")[0]
    except metadata.PackageNotFoundError:
        return None
print(json.dumps({"python": list(sys.version_info[:2]), **{name: version(name) for name in ("jax", "triton", "numpy", "pytest")}}))
`
const known = new Map()
/** What a Python has, or null where there is none. */
const asked = (python) => {
  if (!known.has(python)) {
    const { status, stdout } = spawnSync(python, ['-c', question], { encoding: 'utf8' })
    known.set(python, status === 0 ? JSON.parse(stdout) : null)
  }
  return known.get(python)
}

/** The Python of what is wanted, or why there is none. */
const found = ({ name, variable, has, pytest }) => {
  const said = process.env[variable]
  const candidates = said === undefined ? onPath : [said]
  const python = candidates.find((one) => asked(one) !== null && has(asked(one)))
  if (python === undefined)
    return said === undefined
      ? { why: `no Python on the path has it; name one: ${variable}=/path/to/python` }
      : {
          why: `${variable}=${said} ${asked(said) === null ? 'is no Python that runs' : 'has another version, or none'}`,
        }
  const { python: at } = asked(python)
  if (at[0] !== 3 || at[1] < 10)
    return { why: `${python} is Python ${at.join('.')}; 3.10 or later is needed` }
  if (pytest && asked(python).pytest === null)
    return { why: `${python} has no pytest: ${python} -m pip install pytest` }
  return { python, says: `${name} (${python}, Python ${at.join('.')})` }
}

const words = process.argv.slice(2)
const lines = []
let failed = false
for (const one of wanted) {
  const there = found(one)
  if (there.why !== undefined) {
    lines.push(`skipped  ${one.name}: ${there.why}`)
    continue
  }
  console.log(`\n--- ${there.says}`)
  const tests = one.pytest
    ? [
        '-m',
        'pytest',
        '-q',
        '-rs',
        '-p',
        'no:cacheprovider',
        ...(words.length > 0 ? words : ['python/tests']),
      ]
    : ['-X', 'dev', '-W', 'error', 'python/tests/test_package.py']
  const started = Date.now()
  const { status } = spawnSync(there.python, ['-B', ...tests], {
    cwd: root,
    stdio: 'inherit',
    // what takes seconds and asks no compiler is done once
    env: { ...process.env, PYTHONPATH: `${root}python`, ...(one.pytest ? { TCSPEC_QUICK: '1' } : {}) },
  })
  failed ||= status !== 0
  const seconds = Math.round((Date.now() - started) / 1000)
  lines.push(`${status === 0 ? 'passed ' : 'FAILED '}  ${there.says}: ${String(seconds)} s`)
}
console.log(`\n${lines.join('\n')}`)
process.exitCode = failed ? 1 : 0
