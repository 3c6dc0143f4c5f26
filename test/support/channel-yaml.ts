import type { ChannelFormatId } from '../../src/canonical/format.ts'
import { upstreamKey } from './agent/speech.ts'

export interface ChannelText {
  readonly name?: string
  readonly format: ChannelFormatId
  /** The origin, without a path. */
  readonly origin: string
  /** Public names, which are the upstream's too, or public names and the upstream's. */
  readonly models: readonly string[] | Readonly<Record<string, string>>
  /** The provider, where it is not the one that takes any server of the format. */
  readonly provider?: string
  /** Further settings of the channel, as the file has them. */
  readonly more?: string
}

const providers: Readonly<Record<ChannelFormatId, string>> = {
  chat: 'openai-compatible',
  messages: 'anthropic-compatible',
  responses: 'openai-compatible',
  gemini: 'gemini',
  cohere: 'cohere',
  converse: 'bedrock',
}
const basePaths: Readonly<Record<ChannelFormatId, string>> = {
  chat: '/v1',
  messages: '',
  responses: '/v1',
  gemini: '/v1beta',
  cohere: '',
  converse: '',
}

/** The section `channels` of a configuration file, with upstreams of this machine. */
export function channelYaml(...channels: readonly ChannelText[]): string {
  return `channels:\n${channels.map(writeChannel).join('')}`
}

function writeChannel({ name, format, origin, models, provider, more }: ChannelText): string {
  const lines = [
    `name: ${name ?? format}`,
    `provider: ${provider ?? providers[format]}`,
    `format: ${format}`,
    `base_url: ${origin}${basePaths[format]}`,
    'allow_private: true',
    // A region goes with the keys of this one.
    format === 'converse'
      ? `credentials: { region: us-east-1, api_key: ${upstreamKey} }`
      : `api_key: ${upstreamKey}`,
    `models: ${JSON.stringify(models)}`,
    ...(more === undefined ? [] : [more]),
  ]
  return `  - ${lines.join('\n    ')}\n`
}
