/** Code as agents send it: lines, indents, some quotes. */
const sample = `  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    const text = Array.isArray(value) ? value.join(", ") : value
    forwarded.set(name.toLowerCase(), text) // names in lower case, as the format wants them
  }
`

/** A chat request of about this many kilobytes, as a coding agent would make it. */
export function makeBody(kilobytes: number, stream: boolean): Buffer {
  const messages: { role: string; content: string }[] = [
    { role: 'system', content: 'You are a careful engineer.' },
  ]
  let bytes = 200
  while (bytes < kilobytes * 1024 - 100) {
    const room = kilobytes * 1024 - bytes
    const content = sample.repeat(16).slice(0, Math.max(80, Math.min(4_000, room - 120)))
    messages.push({ role: messages.length % 2 === 1 ? 'user' : 'assistant', content })
    bytes += content.length + 160
  }
  return Buffer.from(JSON.stringify({ model: 'bench', messages, temperature: 0.2, stream }))
}
