import openWabt from 'wabt'

/** The source of src/kit/bytes/string-end-module.ts, from its WebAssembly text. */
export async function renderStringEnd(text: string): Promise<string> {
  const wabt = await openWabt()
  const module = wabt.parseWat('find-string-end.wat', text, { simd: true })
  module.validate()
  const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64')
  module.destroy()
  const lines = base64.match(/.{1,100}/g) ?? []
  return [
    '// find-string-end.wat as WebAssembly. Written by `node scripts/write-string-end.ts`; do not edit.',
    'export const stringEndModule =',
    ...lines.map((line, index) => `  '${line}'${index < lines.length - 1 ? ' +' : ''}`),
    '',
  ].join('\n')
}
