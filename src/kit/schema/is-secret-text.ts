/** What cannot be guessed in any time, where it was made by chance. */
export const MIN_SECRET_CHARACTERS = 16

/** Whether a text may be a secret of the installation, wherever it was given. */
export function isSecretText(text: string): boolean {
  return text.length >= MIN_SECRET_CHARACTERS && /^[\x21-\x7e]+$/.test(text)
}
