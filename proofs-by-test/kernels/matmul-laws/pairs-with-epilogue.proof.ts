import { matmulLaws } from './laws.js'
import { pairsWithEpilogue } from './plans.js'

pairsWithEpilogue.forEach(matmulLaws)
