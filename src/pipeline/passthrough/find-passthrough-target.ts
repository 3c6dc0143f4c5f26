import { permits } from '../../access/permission.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { Catalog, Target } from '../../catalog/catalog.ts'
import type { Channel } from '../../catalog/channel.ts'
import { type MatchedRule, matchPassthrough } from '../../catalog/passthrough.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import { scanFields } from '../../wire/verbatim/scan-body.ts'
import type { PassthroughRequest } from '../exchange/caller-request.ts'

/** Finds the channel that a request names, and the rule that allows its path. Throws `GatewayError`. */
export function findAllowed(
  { caller, channelName, method }: PassthroughRequest,
  segments: readonly string[],
  catalog: Catalog,
): { readonly channel: Channel; readonly matched: MatchedRule } {
  const isPermitted = caller.passthrough.includes(channelName)
  const channel = isPermitted ? catalog.channels.find(({ name }) => name === channelName) : undefined
  if (channel === undefined) throw new GatewayError('passthrough_not_permitted')
  const matched = matchPassthrough(channel.passthrough ?? [], method, segments)
  if (matched !== undefined) return { channel, matched }
  throw new GatewayError('path_not_found', {
    message: `The channel ${JSON.stringify(channel.name)} does not allow ${method} on this path under /passthrough. The operator lists what it allows under "passthrough" of the channel.`,
  })
}

/** The target of a call for routing, limits and the ledger. */
export interface PassthroughTarget {
  readonly target: Target
  /** The public name of a model, or the name of the rule. */
  readonly publicName: string
}

/** The name of a rule in rows and budgets. No public name has this prefix. */
export function nameRule({ rule: { path } }: MatchedRule): string {
  return `passthrough:${path}`
}

/** The target of a call for a model that is not known here. */
export function targetOfRule(channel: Channel, matched: MatchedRule): PassthroughTarget {
  const name = nameRule(matched)
  return { target: { channel, upstreamModel: name, capabilities: {} }, publicName: name }
}

/**
 * Finds the model that a call names in its body, or otherwise with the first star of the path, by the provider's name
 * of the model. Throws `GatewayError` if the channel has no such model that the key may use.
 */
export function findNamedModel(
  { caller }: Pick<PassthroughRequest, 'caller'>,
  named: string | undefined,
  { channel, catalog }: { readonly channel: Channel; readonly catalog: Catalog },
): PassthroughTarget {
  for (const { name } of catalog.models) {
    if (!permits(caller.permission, name)) continue
    const target = catalog
      .findRoute(name)
      ?.targets.find((one) => one.channel.name === channel.name && one.upstreamModel === named)
    if (target !== undefined) return { target, publicName: name }
  }
  const shown = JSON.stringify((named ?? '').slice(0, 256))
  throw new GatewayError('model_not_found', {
    param: 'model',
    message: `The channel ${JSON.stringify(channel.name)} has no model ${shown} that this API key may use. This path is charged by the model, by the name that its provider has for it.`,
  })
}

/** The model of a JSON body; undefined where it names none. Throws `GatewayError` if the body is not a JSON object. */
export function readModelOf(body: BodyBytes): string | undefined {
  if (body.length === 0) return undefined
  const field = scanFields(body, watched).fields.get('model')
  if (field === undefined) return undefined
  const value: unknown = JSON.parse(body.textOf(field))
  return typeof value === 'string' ? value : undefined
}

const watched: ReadonlySet<string> = new Set(['model'])
