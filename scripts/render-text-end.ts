import openWabt from 'wabt'

/** The source of src/kit/bytes/text-end-module.ts, from its WebAssembly text. */
export async function renderTextEnd(text: string): Promise<string> {
  const wabt = await openWabt()
  const module = wabt.parseWat('text-end.wat', text, { simd: true })
  module.validate()
  const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64')
  module.destroy()
  const lines = base64.match(/.{1,100}/g) ?? []
  return [
    '// text-end.wat as WebAssembly. Written by `node scripts/write-text-end.ts`; do not edit.',
    'export const textEndModule =',
    ...lines.map((line, index) => `  '${line}'${index < lines.length - 1 ? ' +' : ''}`),
    '',
  ].join('\n')
}
