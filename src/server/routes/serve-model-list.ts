import { GatewayError } from '../../canonical/failure.ts'
import { modelNotFound } from '../../canonical/model-not-found.ts'
import type { CallerAccess } from '../../pipeline/caller-access.ts'
import type { ListedModel, ModelListStyle } from '../../wire/model-list/listed-model.ts'
import { writeModel } from '../../wire/model-list/write-model.ts'
import { chooseStyle, writeModelList } from '../../wire/model-list/write-model-list.ts'
import type { Exchanged, RouteReply } from '../route.ts'
import { geminiMethods } from './gemini-methods.ts'
import { replyJson } from './reply-json.ts'

/** Lists the models in the given style, or else in the style of the client. */
export function listModelsReply(
  { head, identity }: Exchanged,
  callerAccess: CallerAccess,
  style = styleOf(head),
): RouteReply {
  const query = new URLSearchParams(head.query)
  return replyJson(writeModelList(permittedModels(identity, callerAccess), style, query))
}

export function findModelReply(
  { head, identity, params }: Exchanged,
  callerAccess: CallerAccess,
  style = styleOf(head),
): RouteReply {
  const name = params['*'] ?? ''
  const model = permittedModels(identity, callerAccess).find((one) => one.name === name)
  if (model === undefined) {
    refuseMethod(name)
    throw modelNotFound(name)
  }
  return replyJson(writeModel(model, style))
}

/** Refuses a GET with a method of Gemini after the model's name. Gemini's methods accept only POST. */
function refuseMethod(name: string): void {
  const colon = name.lastIndexOf(':')
  if (colon === -1 || !geminiMethods.has(name.slice(colon + 1))) return
  throw new GatewayError('method_not_allowed', {
    message: 'GET is not a method of this path; it takes POST.',
    headers: { allow: 'POST' },
  })
}

function styleOf({ message, query }: Exchanged['head']): ModelListStyle {
  return chooseStyle({ headers: message.headers, hasQueryKey: new URLSearchParams(query).has('key') })
}

/** The models that the client of a request may use. */
export function permittedModels(
  identity: Exchanged['identity'],
  callerAccess: CallerAccess,
): readonly ListedModel[] {
  return identity.type === 'caller' ? callerAccess.listModels(identity.caller) : []
}
