import { refuse } from '../../canonical/refusal.ts'
import type { Catalog, Target } from '../../catalog/catalog.ts'
import type { Channel } from '../../catalog/channel.ts'

export interface CertifiedModel {
  /** The public name under which the channel serves the target. */
  readonly model: string
  readonly target: Target
}

/**
 * The models of a channel that are certified, each upstream model once: the requested model, by its public or its
 * upstream name, or all models. Throws `config_object_not_found` and `model_not_found`.
 */
export function findCertifiedModels(
  catalog: Catalog,
  channelName: string,
  requestedModel: string | undefined,
): readonly CertifiedModel[] {
  const found = listCertifiedModels(catalog, channelName, requestedModel)
  if (found.length > 0) return found
  throw refuse('model_not_found', {
    param: 'model',
    message:
      requestedModel === undefined
        ? `The channel ${JSON.stringify(channelName)} serves no model at the moment.`
        : `The channel ${JSON.stringify(channelName)} does not serve the model ${JSON.stringify(requestedModel.slice(0, 256))}.`,
    fact:
      requestedModel === undefined
        ? { code: 'channel_without_models', values: { name: channelName } }
        : { code: 'model_not_served', values: { channel: channelName, model: requestedModel.slice(0, 256) } },
  })
}

/**
 * The same, but an empty list if the channel serves none of the models, for example while its list of models cannot
 * be read.
 */
export function listCertifiedModels(
  catalog: Catalog,
  channelName: string,
  requestedModel: string | undefined,
): readonly CertifiedModel[] {
  const channel = catalog.channels.find(({ name }) => name === channelName)
  if (channel === undefined) {
    throw refuse('config_object_not_found', {
      param: 'name',
      message: `No channel ${JSON.stringify(channelName)} is in service. "headgate channels list" shows all of them.`,
      fact: { code: 'channel_not_in_use', values: { name: channelName } },
    })
  }
  const found = new Map<string, CertifiedModel>()
  for (const served of listServed(catalog, channelName)) {
    const { model, target } = served
    if (requestedModel !== undefined && requestedModel !== model && requestedModel !== target.upstreamModel)
      continue
    const known = found.get(target.upstreamModel)
    if (
      known === undefined ||
      rankOf(served, channel, requestedModel) < rankOf(known, channel, requestedModel)
    )
      found.set(target.upstreamModel, served)
  }
  return [...found.values()]
}

function listServed(catalog: Catalog, channelName: string): readonly CertifiedModel[] {
  return catalog.models.flatMap(({ name: model }) =>
    (catalog.findRoute(model)?.targets ?? [])
      .filter(({ channel }) => channel.name === channelName)
      .map((target) => ({ model, target })),
  )
}

/** The rank of a name: the requested name first, then the channel's own names, then aliases. */
function rankOf(
  { model, target }: CertifiedModel,
  { models }: Channel,
  requestedModel: string | undefined,
): number {
  if (model === requestedModel) return 0
  const own = models.type === 'named' ? models.upstreamNames.get(model) : model
  return own === target.upstreamModel ? 1 : 2
}
