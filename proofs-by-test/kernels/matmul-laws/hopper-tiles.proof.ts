import { matmulLaws } from './laws.js'
import { hopperTiles } from './plans.js'

hopperTiles.forEach(matmulLaws)
