/** How many of the numbered words of this voice stand in the text. */
export function countWords(text: string, voice: string): number {
  return text.match(pattern(voice))?.length ?? 0
}

/** The text in pieces, each of which ends with one word; what is left after the last is a piece of its own. */
export function cutAtWords(text: string, voice: string): readonly string[] {
  const ends = [...text.matchAll(pattern(voice))].map((match) => match.index + match[0].length)
  const cuts = [0, ...ends, text.length]
  return cuts.slice(1).flatMap((end, index) => {
    const piece = text.slice(cuts[index], end)
    return piece === '' ? [] : [piece]
  })
}

function pattern(voice: string): RegExp {
  return new RegExp(`\\b${voice}-\\d+[^\\s"\\\\]*`, 'gu')
}
