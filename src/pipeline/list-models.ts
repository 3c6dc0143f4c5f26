import { type Caller, permits } from '../access/key.ts'
import type { Catalog, PublicModel } from '../catalog/catalog.ts'
import type { ListedModel } from '../wire/model-list/listed-model.ts'

/** The models that a key may use, by name. */
export function listModels(caller: Caller, catalog: Catalog): readonly ListedModel[] {
  return catalog.models.filter(({ name }) => permits(caller.permission, name)).map(describeModel)
}

/** Every model here answers callers of every format, by translation where need be. */
function describeModel(model: PublicModel): ListedModel {
  return { ...model, endpointTypes: ['openai', 'anthropic'] }
}
