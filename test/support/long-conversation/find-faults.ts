import type { CallerKind, ChannelName, HeldConversation } from './hold-conversation.ts'
import type { PlannedTurn } from './plan-conversation.ts'

/** Whatever of a conversation was not as it must be: each a line that says what. */
export function findFaults(held: HeldConversation): readonly string[] {
  const { upstream, played, plan, failure } = held
  return [
    ...upstream.refusals.map((refusal) => `refused: ${refusal}`),
    ...(failure === undefined ? [] : [`the agent gave up: ${failure.slice(0, 300)}`]),
    ...(upstream.taken.length === plan.length ? [] : [`${upstream.taken.length} of ${plan.length} turns`]),
    ...played.flatMap(({ wrong }, turn) => wrong.map((what) => `turn ${turn}, the agent got ${what}`)),
    ...upstream.taken.flatMap((_taken, turn) => findChanged(held, turn)),
    ...upstream.taken.flatMap((_taken, turn) => findLostState(held, turn)),
  ]
}

/** Whether the upstream got every call, result and picture of the turns before. */
function findChanged({ upstream, plan }: HeldConversation, turn: number): readonly string[] {
  const request = upstream.taken[turn]?.request
  const before = plan.slice(0, turn)
  const calls = request?.rounds.flatMap((round) => round.calls) ?? []
  const results = request?.rounds.flatMap((round) => round.results) ?? []
  const got = calls.map(({ id, name, input }) => {
    const text = results.find(({ callId }) => callId === id)?.text
    // Formats without a mark for failed results say it in words.
    return JSON.stringify([name, input, text?.replace(/^Error: /, '')])
  })
  const images = before.flatMap(({ results: all, asked }) => [
    ...all,
    ...(asked === undefined ? [] : [asked]),
  ])
  const imageCount = [...images, plan[turn]?.asked].filter((each) => each?.hasImage === true).length
  return [
    ...(got.join() === before.flatMap(emitCalls).join()
      ? []
      : [`turn ${turn}: calls changed: ${got.at(-1)}`]),
    ...(request?.imageCount === imageCount
      ? []
      : [`turn ${turn}: ${request?.imageCount} of ${imageCount} pictures`]),
  ]
}

function emitCalls({ blocks, results }: PlannedTurn): readonly string[] {
  const calls = blocks.filter((block) => block.type === 'call')
  return calls.map(({ name, input }, position) => JSON.stringify([name, input, results[position]?.text]))
}

/** Whether all that the upstream proved before came back to it, as far as the pair can. */
function findLostState(held: HeldConversation, turn: number): readonly string[] {
  const { caller, channel, upstream, plan } = held
  const scope = stateScope(caller, channel)
  const wanted = upstream.taken
    .slice(0, turn)
    .filter((_taken, index) => scope === 'all' || (scope === 'calls' && plan[index]?.results.length !== 0))
    .flatMap(({ proved }) => proved)
  const got = upstream.taken[turn]?.request.proofs ?? []
  return wanted.join() === got.join()
    ? []
    : [`turn ${turn}: ${got.length} of ${wanted.length} proofs came back`]
}

/** `calls`: what the client does not return is found again by the ids of the calls beside it. */
function stateScope(caller: CallerKind, channel: ChannelName): 'all' | 'calls' | 'none' {
  if (caller !== 'chat that forgets reasoning') return 'all'
  // Word for word, nothing is added to what the client sends.
  return channel === 'chat with reasoning details' ? 'none' : 'calls'
}
