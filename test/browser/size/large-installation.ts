/** The numbers of a large installation. */
export const KEYS = 10_000
export const CHANNELS = 1_000
export const MODELS = 200
export const GROUPS = 50
export const USERS = 200
const ALIASES = 50
/** Each channel serves this many of the models that have the numbers after it. */
const MODELS_A_CHANNEL = 3

/** The secret of the key with which live traffic is sent. */
export const liveSecret = 'sk-live-0123456789abcdef'

interface InstallationPlan {
  readonly dataFolder: string
  /** The origin of the upstream that every channel stands for. */
  readonly origin: string
}

/** The configuration file of a large installation, whose channels are all on this machine. */
export function writeLargeConfiguration({ dataFolder, origin }: InstallationPlan): string {
  const lines = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index))
  return [
    'listen: 127.0.0.1:0',
    `data: ${dataFolder}`,
    'log: { level: silent }',
    'request_log: { keep: 60d, max_rows: 12000000 }',
    `keys: [{ name: live, secret: ${liveSecret}, models: ["*"] }]`,
    'groups:',
    ...lines(
      GROUPS,
      (index) =>
        `  group-${index}: { models: ["*"], budgets: [{ limit_usd: 5000, window: month, mode: observe }] }`,
    ),
    'models:',
    ...lines(MODELS, (index) => `  model-${index}: { price: { input: 2.5, output: 10 } }`),
    ...lines(
      ALIASES,
      (index) =>
        `  alias-${index}: { targets: [channel-${index}/${modelOf(index, 0)}, channel-${index + 1}/${modelOf(index + 1, 0)}], fallback: [model-${index}] }`,
    ),
    'channels:',
    ...lines(
      CHANNELS,
      (index) =>
        `  - { name: channel-${index}, provider: openai-compatible, base_url: "${origin}/v1", allow_private: true, api_key: sk-up-1234567890-${index}, models: [${[
          0, 1, 2,
        ]
          .slice(0, MODELS_A_CHANNEL)
          .map((offset) => modelOf(index, offset))
          .join(', ')}], priority: ${index % 3} }`,
    ),
    '',
  ].join('\n')
}

function modelOf(channel: number, offset: number): string {
  return `model-${(Math.floor(channel / 5) + offset) % MODELS}`
}
