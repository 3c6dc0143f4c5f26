const KEY = 'bench-key-0123456789abcdef'

export interface AccountedOptions {
  /** Exact budgets, budgets that are only estimated, or no accounting. */
  readonly accounting: 'exact' | 'estimate' | 'none'
  /** The origin of the upstream. */
  readonly upstream: string
  /** The data folder. */
  readonly data: string
  readonly log?: 'info' | 'silent'
  /** Whether large bodies are sent, of which a minute holds more tokens than a limit of tokens can allow. */
  readonly hasLargeBodies?: boolean
}

/** A configuration with five budgets, prices and limits, which are far above what is spent: every request is served. */
export function accountedConfiguration({
  accounting,
  upstream,
  data,
  log = 'info',
  hasLargeBodies = false,
}: AccountedOptions): string {
  const has = accounting !== 'none'
  const limit = `limit_usd: 1000000, mode: ${accounting}`
  const second = hasLargeBodies ? 'concurrency: 10000' : 'tpm: 1000000000'
  const key = `budgets: [{ ${limit}, window: day }, { ${limit}, window: month }], rate: { rpm: 100000000, ${second} }`
  const budgets = ['installation', 'group:bench', 'model:bench'].map(
    (scope, index) => `  - { name: b${index}, scope: "${scope}", ${limit}, window: month }\n`,
  )
  return `listen: 127.0.0.1:0
data: ${data}
log: { level: ${log} }
keys:
  - { name: bench, secret: ${KEY}, models: ["*"]${has ? `, group: bench, ${key}` : ''} }
${has ? `groups: { bench: {} }\nbudgets:\n${budgets.join('')}models: { bench: { price: { input: 1, output: 2 } } }\n` : ''}channels:
  - name: chat
    provider: openai-compatible
    base_url: ${upstream}/v1
    api_key: upstream-key-0123456789
    allow_private: true
    models: { bench: bench-upstream }
`
}
