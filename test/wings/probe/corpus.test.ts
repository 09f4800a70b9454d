import { loadPlan } from '../../support/load.ts'
import { checkCorpus } from './checked-corpus.ts'

checkCorpus('without state', loadPlan)
