/** The collection prefixes that a model name may have. */
const COLLECTION = /^(?:models|tunedModels)\//

/**
 * The path of a model relative to the base URL, such as `/models/gemini-2.5-pro`. The name may have its collection or
 * not. Path segments such as `..` in a name are escaped, so that the path stays below the base URL.
 */
export function modelPath(model: string): string {
  const parts = modelName(model).split('/')
  return `/${parts.map((part) => encodeURIComponent(part).replace(/^\.+$/, '%2E%2E')).join('/')}`
}

/** The name of a model with its collection, the form that bodies use. */
export function modelName(model: string): string {
  return COLLECTION.test(model) ? model : `models/${model}`
}
