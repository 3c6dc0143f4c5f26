/** Decodes percent-encoding. Undefined where an escape is invalid. */
export function tryDecodeUri(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
