import type { Level } from './levels.ts'

export interface HeadgateParts {
  readonly level: Level
  /** The origin, such as `http://127.0.0.1:4321`. */
  readonly upstream: string
  readonly folder: string
  readonly keys: readonly string[]
}

/** There is no way to run without a key, so that `no auth` is one key and one channel. Metrics are always on. */
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
  return `listen: 127.0.0.1:0
data: ${folder}/data
log: { level: ${level === 'everything' ? 'info' : 'silent'} }
keys:
${used.map((secret, index) => `  - { name: bench-${index}, secret: ${secret}, models: ["bench"] }`).join('\n')}
channels:
${channel('first', 3)}${isPlain ? '' : channel('second', 1)}`
}
