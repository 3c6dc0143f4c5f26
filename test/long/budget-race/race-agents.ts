import { setTimeout as wait } from 'node:timers/promises'
import { channelYaml } from '../../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream } from '../../support/scripted-upstream.ts'
import { type StartedGateway, startGateway } from '../../support/start-gateway.ts'
import { watchDecisions } from './watch-decisions.ts'

const AGENTS = 20
const MAX_TOKENS = 128_000
const LIMIT_USD = 5
const ANSWER_MS = 20
const usage = { prompt_tokens: 2_000, completion_tokens: 900, total_tokens: 2_900 }
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }]
const answer = jsonAnswer({ id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices, usage })
const secret = 'sk-agents-0123456789abcdef'

/**
 * Twenty coding agents at once on five dollars, until nothing is left for even a small answer. Gives what was wrong.
 */
export async function raceAgents(): Promise<readonly string[]> {
  using decisions = watchDecisions()
  decisions.limit = BigInt(LIMIT_USD) * 1_000_000_000n
  await using upstream = await openScriptedUpstream(async () => {
    await wait(ANSWER_MS)
    return answer
  })
  await using gateway = await startGateway(`keys:
  - { name: agents, secret: ${secret}, budgets: [{ limit_usd: ${LIMIT_USD}, window: day }] }
models: { m: { price: { input: 3, output: 15 } } }
limits: { connections: 1000 }
queue: off
${channelYaml({ name: 'c1', format: 'chat', origin: upstream.origin, models: ['m'] })}`)
  const agents = Array.from({ length: AGENTS }, () => runAgent(gateway))
  const turns = (await Promise.all(agents)).flat()
  const served = turns.filter(({ status }) => status === 200)
  const clamped = served.filter(({ isClamped }) => isClamped).length
  const spent = served.length * (usage.prompt_tokens * 3 + usage.completion_tokens * 15) * 1e-6
  process.stdout.write(
    `budget race, ${AGENTS} coding agents with max_tokens ${MAX_TOKENS} on $${LIMIT_USD}: ${served.length} answers served, ${clamped} of them with a lower cap, $${spent.toFixed(4)} spent, ${decisions.refused} refused; refused where a small answer fits ${decisions.wrong.length}\n`,
  )
  return [
    ...decisions.wrong.map((wrong) => `coding agents: ${wrong}`),
    ...(clamped === 0 ? ['coding agents: none was clamped'] : []),
    ...turns.flatMap(({ status }) =>
      status === 200 || status === 429 ? [] : [`coding agents: status ${status}`],
    ),
  ]
}

interface Turn {
  readonly status: number
  readonly isClamped: boolean
}

/** One request after the other, until one is refused. */
async function runAgent({ url }: StartedGateway): Promise<readonly Turn[]> {
  const turns: Turn[] = []
  for (;;) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'm',
        max_tokens: MAX_TOKENS,
        messages: [{ role: 'user', content: 'word '.repeat(1_500) }],
      }),
    })
    await response.arrayBuffer()
    turns.push({ status: response.status, isClamped: response.headers.has('x-headgate-clamped') })
    if (response.status !== 200) return turns
  }
}
