/** The least characters with which a random text cannot be guessed. */
export const MIN_SECRET_CHARACTERS = 16

/** Whether a text may be a secret of the installation, wherever it was given. */
export function isSecretText(text: string): boolean {
  return text.length >= MIN_SECRET_CHARACTERS && /^[\x21-\x7e]+$/.test(text)
}
