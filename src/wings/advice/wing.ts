// Advice: warnings about what is valid and cannot be meant, in contracts and in expressions, and better words for mistakes in
// expressions.

import type { Wing } from '../../cli/command.ts'
import { doubtsIn } from './doubts.ts'
import { examineContract } from './examine-contract.ts'
import { explainHabit } from './habits.ts'
import { doubtOf, NO_DOUBT } from './impossible.ts'

export const advice: Wing = {
  name: 'advice',
  examine: examineContract,
  advise(site, typed = false) {
    const doubt = site === undefined ? NO_DOUBT : doubtOf(site, typed)
    return { doubtsIn: (tree, text) => doubtsIn(tree, text, doubt), explain: explainHabit }
  },
}
