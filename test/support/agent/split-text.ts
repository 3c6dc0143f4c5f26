const PIECE_CHARACTERS = 7

/** A text in short pieces, as a model sends it; no piece for no text. */
export function splitText(text: string): string[] {
  const characters = [...text]
  const count = Math.ceil(characters.length / PIECE_CHARACTERS)
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * PIECE_CHARACTERS, (index + 1) * PIECE_CHARACTERS).join(''),
  )
}
