import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { ChannelFormatId } from '../../src/canonical/format.ts'
import { type Clock, systemClock } from '../../src/kit/time/clock.ts'
import { type ChannelText, channelYaml } from './channel-yaml.ts'
import { openScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.ts'
import { type StartedGateway, startGateway, testKey } from './start-gateway.ts'

export type Script = Parameters<typeof openScriptedUpstream>[0]

export interface OpenGateway extends AsyncDisposable {
  readonly gateway: StartedGateway
  /** The upstreams in the order of the scripts. */
  readonly upstreams: readonly ScriptedUpstream[]
}

export interface GatewayPlan {
  /** One channel each, the first preferred; all of them serve the model `m`. */
  readonly scripts: readonly Script[]
  /** The format of every channel, or one for each. */
  readonly format?: ChannelFormatId | readonly ChannelFormatId[]
  /** The provider of every channel, where it is not the one that takes any server of the format. */
  readonly provider?: string | undefined
  /** The upstream's name of the model `m`, where the gateway is to know what it takes. */
  readonly upstreamModel?: string | undefined
  /** Models besides `m`. */
  readonly models?: readonly string[]
  /** Further settings of the first channel. */
  readonly firstMore?: string
  /** Whether all channels are on one level, instead of the first preferred. */
  readonly samePriority?: boolean
  /** Further sections of the file. */
  readonly more?: string
  readonly clock?: Clock
}

/** The gateway in front of scripted upstreams. */
export async function openGateway(plan: GatewayPlan): Promise<OpenGateway> {
  const {
    scripts,
    format = 'chat',
    models = [],
    upstreamModel,
    provider,
    firstMore,
    more = '',
    samePriority = false,
    clock = systemClock,
  } = plan
  await using cleanup = new AsyncDisposableStack()
  const upstreams: ScriptedUpstream[] = []
  for (const script of scripts) upstreams.push(cleanup.use(await openScriptedUpstream(script)))
  const channels = upstreams.map(
    ({ origin }, index): ChannelText => ({
      name: `channel-${index + 1}`,
      format: typeof format === 'string' ? format : (format[index] ?? 'chat'),
      origin,
      models: upstreamModel === undefined ? ['m', ...models] : { m: upstreamModel },
      ...(provider === undefined ? {} : { provider }),
      more: `priority: ${samePriority ? 1 : scripts.length - index}${index > 0 || firstMore === undefined ? '' : `\n    ${firstMore}`}`,
    }),
  )
  const gateway = cleanup.use(await startGateway(channelYaml(...channels) + more, undefined, { clock }))
  const open = cleanup.move()
  return { gateway, upstreams, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

interface ClientOptions {
  readonly apiKey?: string
  readonly maxRetries?: number
  readonly timeout?: number
}

/** The official client of the chat format, without retries where nothing else is said. */
export function openaiOf({ gateway }: OpenGateway, options: ClientOptions = {}): OpenAI {
  return new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0, ...options })
}

/** The official client of the messages format, without retries where nothing else is said. */
export function anthropicOf({ gateway }: OpenGateway, options: ClientOptions = {}): Anthropic {
  return new Anthropic({ baseURL: gateway.url, apiKey: testKey, maxRetries: 0, ...options })
}

/** The error that a call was refused with. Fails where it was not. */
export async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error('the call was not refused')
}
