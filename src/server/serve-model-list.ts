import { GatewayError } from '../canonical/failure.ts'
import type { FrontDoor } from '../pipeline/front-door.ts'
import { chooseStyle } from '../wire/model-list/choose-style.ts'
import { writeModel } from '../wire/model-list/write-model.ts'
import { writeModelList } from '../wire/model-list/write-model-list.ts'
import type { Exchanged, RouteReply } from './route.ts'

export function listModelsReply({ context }: Exchanged, frontDoor: FrontDoor): RouteReply {
  const query = new URLSearchParams(context.query)
  const style = chooseStyle({ headers: context.message.headers, hasQueryKey: query.has('key') })
  return reply(writeModelList(allowedModels(context, frontDoor), style, query))
}

export function findModelReply({ context, params }: Exchanged, frontDoor: FrontDoor): RouteReply {
  const name = params['*'] ?? ''
  const query = new URLSearchParams(context.query)
  const style = chooseStyle({ headers: context.message.headers, hasQueryKey: query.has('key') })
  const model = allowedModels(context, frontDoor).find((one) => one.name === name)
  if (model === undefined) {
    throw new GatewayError('model_not_found', {
      param: 'model',
      message: `There is no model ${JSON.stringify(name.slice(0, 256))} here that this key may use. GET /v1/models lists those that there are.`,
    })
  }
  return reply(writeModel(model, style))
}

function allowedModels({ caller }: Exchanged['context'], frontDoor: FrontDoor) {
  return caller === undefined ? [] : frontDoor.listModels(caller)
}

function reply(body: object): RouteReply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
