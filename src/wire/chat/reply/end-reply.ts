import { createFailure } from '../../../canonical/failure.ts'
import { createLossList } from '../../../canonical/loss.ts'
import { isJsonArray, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readServedTier } from '../../served-tier.ts'
import { toExtras } from '../values/extras.ts'
import { writeAnnotation } from '../values/read-citation.ts'
import { readFinishReason } from '../values/stop-reason.ts'
import { startCall } from './read-tool-call-delta.ts'
import { type ChoiceState, endBlock, endOpenBlock, failAnswer, type ReaderState } from './reader-state.ts'
import { startReply } from './start-reply.ts'

/** Ends a good answer: what is open ends, each choice with its reason. An answer without anything is a failure. */
export function endReply(state: ReaderState): void {
  if (state.isOver) return
  const choices = [...state.choices.values()].sort((a, b) => a.index - b.index)
  if (choices.every(isEmpty)) {
    failAnswer(state, createFailure('upstream_empty'))
    return
  }
  startReply(state)
  for (const choice of choices) endChoice(state, choice)
  const told = state.emittedExtras
  const changed = [...state.extras].filter(([name, value]) => !isSame(told.get(name), value))
  const tier = state.serviceTier === state.emittedServiceTier ? undefined : state.serviceTier
  state.events.push(
    omitUndefined({
      type: 'reply-end' as const,
      serviceTier: readServedTier('chat', tier),
      ...toExtras(Object.fromEntries(changed), { usage: state.usageExtras }),
    }),
  )
  state.isOver = true
}

function isEmpty(choice: ChoiceState): boolean {
  return choice.blockCount === 0 && choice.calls.all.length === 0 && (choice.finish ?? '') === ''
}

function isSame(a: JsonValue | undefined, b: JsonValue): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
}

function endChoice(state: ReaderState, choice: ChoiceState): void {
  for (const call of choice.calls.all) {
    if (call.block === undefined) startCall(state, choice, { call, piece: { id: '', name: '' } })
  }
  endOpenBlock(state, choice)
  if (choice.audioBlock !== undefined) endBlock(state, choice, choice.audioBlock)
  for (const call of choice.calls.all) {
    if (!call.isEnded && call.block !== undefined) endBlock(state, choice, call.block)
  }
  keepCitations(choice)
  const message = Object.fromEntries(choice.messageExtras)
  const { finish } = choice
  state.events.push(
    omitUndefined({
      type: 'choice-end' as const,
      choice: choice.index,
      stopReason: finish === undefined ? undefined : readFinishReason(finish, choice.calls.all.length > 0),
      ...toExtras(Object.fromEntries(choice.extras), {
        message: choice.messageExtras.size === 0 ? undefined : message,
      }),
    }),
  )
}

/** Sources that no text came for stay as they came. */
function keepCitations(choice: ChoiceState): void {
  if (choice.citations.length === 0) return
  const before = choice.messageExtras.get('annotations')
  const unheard = choice.citations.map(
    (citation) => writeAnnotation(citation, createLossList()) ?? citation.extras?.fields ?? {},
  )
  choice.messageExtras.set('annotations', [...(isJsonArray(before) ? before : []), ...unheard])
}
