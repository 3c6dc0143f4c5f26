/** The prefixes of a name that is not a bare one. */
const COLLECTION = /^(?:models|tunedModels)\//

/**
 * The path of a model below the base address, by its name with or without its collection, such as
 * `/models/gemini-2.5-pro`. Nothing in a name leads out of there.
 */
export function modelPath(model: string): string {
  const parts = modelName(model).split('/')
  return `/${parts.map((part) => encodeURIComponent(part).replace(/^\.+$/, '%2E%2E')).join('/')}`
}

/** A name with its collection, as bodies have it. */
export function modelName(model: string): string {
  return COLLECTION.test(model) ? model : `models/${model}`
}
