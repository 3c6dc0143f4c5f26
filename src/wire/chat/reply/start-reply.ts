import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readServedTier } from '../../served-tier.ts'
import { toExtras } from '../values/extras.ts'
import type { ReaderState } from './reader-state.ts'

/** Tells the start of the answer, once, with what is known of it. */
export function startReply(state: ReaderState): void {
  if (state.isStarted) return
  state.isStarted = true
  state.emittedExtras = new Map(state.extras)
  state.emittedServiceTier = state.serviceTier
  state.events.push(
    omitUndefined({
      type: 'reply-start' as const,
      id: state.id,
      model: state.model,
      createdAtSeconds: state.createdAtSeconds,
      serviceTier: readServedTier('chat', state.serviceTier),
      ...toExtras(Object.fromEntries(state.extras)),
    }),
  )
}
