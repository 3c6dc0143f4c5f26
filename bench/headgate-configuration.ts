import type { Level } from './levels.ts'

export interface HeadgateParts {
  readonly level: Level
  /** The origin, such as `http://127.0.0.1:4321`. */
  readonly upstream: string
  readonly folder: string
  readonly keys: readonly string[]
}

/**
 * There is no way to run without a key, so that `no auth` is one key and one channel. Metrics, the ledger and the
 * request log are always on. The model `bench-messages` is of a channel of another format than its callers.
 */
export function writeHeadgateConfiguration({ level, upstream, folder, keys }: HeadgateParts): string {
  const isPlain = level === 'no auth'
  const used = isPlain ? keys.slice(0, 1) : keys
  const channel = (name: string, weight: number) => `  - name: ${name}
    provider: openai-compatible
    base_url: ${upstream}/v1
    api_key: upstream-key-0123456789
    allow_private: true
    weight: ${weight}
    models: { bench: bench-upstream }
`
  const hasAll = level === 'everything'
  const budget = 'limit_usd: 1000000, mode: exact'
  const ofKey = hasAll
    ? `, group: bench, budgets: [{ ${budget}, window: day }, { ${budget}, window: month }], rate: { rpm: 100000000, concurrency: 10000 }`
    : ''
  const shared = ['installation', 'group:bench', 'model:bench']
    .map((scope, index) => `  - { name: b${index}, scope: "${scope}", ${budget}, window: month }\n`)
    .join('')
  const price = 'price: { input: 1, output: 2 }'
  const money = hasAll
    ? `groups: { bench: {} }\nbudgets:\n${shared}models: { bench: { ${price} }, bench-messages: { ${price} } }\n`
    : ''
  return `listen: 127.0.0.1:0
data: ${folder}/data
log: { level: ${hasAll ? 'info' : 'silent'} }
keys:
${used.map((secret, index) => `  - { name: bench-${index}, secret: ${secret}, models: ["*"]${ofKey} }`).join('\n')}
${money}channels:
${channel('first', 3)}${isPlain ? '' : channel('second', 1)}  - name: translated
    provider: anthropic-compatible
    base_url: ${upstream}
    api_key: upstream-key-0123456789
    allow_private: true
    models: { bench-messages: bench-upstream }
`
}
