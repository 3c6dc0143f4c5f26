/** The minimum length at which a random text cannot be guessed. */
export const MIN_SECRET_CHARACTERS = 16

/** Whether a text may be a secret of the installation, whatever its source. */
export function isSecretText(text: string): boolean {
  return text.length >= MIN_SECRET_CHARACTERS && /^[\x21-\x7e]+$/.test(text)
}
