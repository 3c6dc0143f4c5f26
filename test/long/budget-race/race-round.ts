import { channelYaml } from '../../support/channel-yaml.ts'
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts'

/** A thousand requests that share budgets of their own. */
export interface RaceRound {
  readonly number: number
  readonly name: string
  /** The requests of the highest cost that fit into each budget. */
  readonly fits: number
  /** The limit of each budget, in nano-dollars. */
  readonly limit: number
  readonly key: string
  readonly secret: string
  readonly model: string
}

/** The budgets of a round: two of its key, and those of its group, model and tag. */
export const BUDGETS_A_ROUND = 5

export function planRound(number: number, fits: number, limit: number): RaceRound {
  const names = { key: `race-${number}`, secret: `sk-race-${number}-0123456789abcdef`, model: `m-${number}` }
  return { number, name: `round ${number}`, fits, limit, ...names }
}

/** The configuration of a gateway that serves these rounds; the budget of the installation has room for all of them. */
export function writeRoundsYaml(
  rounds: readonly RaceRound[],
  upstreams: readonly ScriptedUpstream[],
): string {
  const channels = upstreams.map(({ origin }, index) => ({
    name: `c${index + 1}`,
    format: 'chat' as const,
    origin,
    models: rounds.map(({ model }) => model),
    more: 'breaker: off',
  }))
  const all = rounds.reduce((sum, { limit }) => sum + limit, 0)
  return `keys:
${rounds.map(writeKey).join('')}groups:
${rounds.map(({ number }) => `  g-${number}: { models: ["*"] }\n`).join('')}budgets:
  - { name: all, scope: installation, ${termsOf(all)}, window: day }
${rounds.map(writeBudgets).join('')}limits: { connections: 10000 }
models:
${rounds.map(({ model }) => `  ${model}: { price: { input: 0, output: 2 } }\n`).join('')}queue: off
${channelYaml(...channels)}`
}

function writeKey({ number, key, secret, limit }: RaceRound): string {
  const budgets = ['day', 'total'].map((window) => `{ ${termsOf(limit)}, window: ${window} }`).join(', ')
  const tags = `{ round: "${number}" }`
  return `  - { name: ${key}, secret: ${secret}, group: g-${number}, tags: ${tags}, budgets: [${budgets}] }\n`
}

function writeBudgets({ number, model, limit }: RaceRound): string {
  return [`model:${model}`, `group:g-${number}`, `tag:round=${number}`]
    .map(
      (scope, index) =>
        `  - { name: round-${number}-${index}, scope: "${scope}", ${termsOf(limit)}, window: day }\n`,
    )
    .join('')
}

function termsOf(limit: number): string {
  return `limit_usd: ${limit / 1e9}, at_limit: refuse`
}
