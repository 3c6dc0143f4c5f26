import type { ObservedCall } from '../call-channel.ts'
import { type Check, type CheckVerdict, fails, notOffered, works } from './check.ts'
import { judgeUnanswered } from './judge-answer.ts'

const texts = ['The tide comes in at noon.', 'Invoices are due within thirty days.']

/** Whether texts become vectors. */
export const embeddingsCheck: Check = {
  name: 'embeddings',
  bounds: { calls: 1, inputTokens: 50, outputTokens: 0 },
  *run() {
    return judgeVectors(yield { type: 'embedding', texts })
  },
}

function judgeVectors({ outcome }: ObservedCall): CheckVerdict {
  if (outcome.type === 'failed' && refusals.has(outcome.code))
    return notOffered('no_embeddings', { message: outcome.message })
  if (outcome.type !== 'vectors') return judgeUnanswered(outcome)
  const { vectors } = outcome
  if (vectors.length !== texts.length) return fails('vectors_broken')
  const [first = [], second = []] = vectors
  if (first.length === 0 || first.length !== second.length || !vectors.flat().every(Number.isFinite))
    return fails('vectors_broken')
  const areAlike = first.every((value, index) => value === second[index])
  return areAlike ? fails('vectors_alike') : works('vectors_given', { dimensions: first.length })
}

/** The answers of a channel that has no such endpoint, or not for this model. */
const refusals: ReadonlySet<string> = new Set([
  'operation_not_supported',
  'cannot_be_carried',
  'upstream_rejected',
  'upstream_model_missing',
])
