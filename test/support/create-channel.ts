import { type Channel, defaultBreaker, defaultTimeouts } from '../../src/catalog/channel.ts'

export interface ChannelParts extends Partial<Omit<Channel, 'models' | 'name'>> {
  readonly name: string
  /** Public name to upstream name, or whatever the upstream lists. */
  readonly models: Readonly<Record<string, string>> | 'listed'
}

/** A channel with what a test cares about, the rest plain. */
export function createChannel({ models, ...parts }: ChannelParts): Channel {
  return {
    provider: 'openai-compatible',
    format: 'chat',
    baseUrl: 'https://api.example.com/v1',
    credentials: [],
    priority: 0,
    weight: 1,
    headers: {},
    timeouts: defaultTimeouts,
    breaker: defaultBreaker,
    concurrency: undefined,
    allowPrivate: false,
    allowFields: new Set(),
    models:
      models === 'listed'
        ? { type: 'listed' }
        : { type: 'named', upstreamNames: new Map(Object.entries(models)) },
    ...parts,
  }
}
