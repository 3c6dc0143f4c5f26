import type { Agent, AgentAnswer } from './agent.ts'
import type { PlannedTurn } from './plan-conversation.ts'

export interface PlayedTurn {
  /** The losses of the request that the answer named. */
  readonly losses: string
  /** The differences of what the agent got from what the model said; empty where there are none. */
  readonly wrong: readonly string[]
}

/** Goes through a plan with an agent: asks, runs the tools, asks again. Rejects where a request is refused. */
export async function playConversation(
  agent: Agent,
  plan: readonly PlannedTurn[],
  played: PlayedTurn[],
): Promise<void> {
  for (const turn of plan) {
    if (turn.asked !== undefined) agent.hear(turn.asked)
    const answer = await agent.ask()
    played.push({ losses: answer.losses, wrong: findWrong(answer, turn) })
    if (turn.results.length > 0) agent.take(resultsOf(turn, answer))
  }
}

function resultsOf({ results, readyOrder }: PlannedTurn, { calls }: AgentAnswer) {
  return readyOrder.flatMap((position) => {
    const result = results[position]
    const callId = calls[position]?.id
    return result === undefined || callId === undefined ? [] : [{ ...result, callId }]
  })
}

function findWrong({ text, calls }: AgentAnswer, { blocks }: PlannedTurn): readonly string[] {
  const wanted = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
  const wantedCalls = blocks.flatMap((block) => (block.type === 'call' ? [[block.name, block.input]] : []))
  const gotCalls = calls.map(({ name, input }) => [name, input])
  return [
    ...(text === wanted ? [] : [`text ${JSON.stringify(text)} for ${JSON.stringify(wanted)}`]),
    ...(JSON.stringify(gotCalls) === JSON.stringify(wantedCalls)
      ? []
      : [`calls ${JSON.stringify(gotCalls)} for ${JSON.stringify(wantedCalls)}`]),
  ]
}
