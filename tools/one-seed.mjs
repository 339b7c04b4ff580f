/**
 * One seed for all properties of a run: a setup file of vitest's.
 *
 * A property has its seed in its name, and a mutant is held against the proofs that were seen to reach it, by name. With a seed of its own in
 * every run no property would be found again, and none would be asked.
 */
import { configureGlobal } from 'fast-check'

configureGlobal({ seed: 1 })
