import { matmulLaws } from './laws.js'
import { hopper } from './plans.js'

hopper.forEach(matmulLaws)
