/** What stands before a name where it is no bare one. */
const COLLECTION = /^(?:models|tunedModels)\//

/**
 * Where a model is found below the base address, by its name with or without its collection, such as
 * `/models/gemini-2.5-pro`. Nothing in a name leads out of there.
 */
export function modelPath(model: string): string {
  const name = COLLECTION.test(model) ? model : `models/${model}`
  const parts = name.split('/').map((part) => encodeURIComponent(part).replace(/^\.+$/, '%2E%2E'))
  return `/${parts.join('/')}`
}

/** A name without what stands before it. */
export function bareModel(model: string): string {
  return model.replace(/^models\//, '')
}
