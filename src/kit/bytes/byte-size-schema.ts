import { z } from 'zod'
import { withFormat } from '../schema/input-fact.ts'

const explanation = withFormat('must be a size with its unit, such as "512KB", "32MB" or "1GB"', 'size')
const unitPowers = { B: 0, KB: 1, MB: 2, GB: 3, KIB: 1, MIB: 2, GIB: 3 } as const

/** Reads `32MB`, `512KB` or `1GB` as bytes. A kilobyte is 1024 bytes, written KB or KiB. */
export const byteSizeSchema = z
  .string({ error: explanation })
  .regex(/^\d+(\.\d+)?([KMGkmg][iI]?)?[Bb]$/, { error: explanation })
  // Forms of the console recognize a size by this title.
  .meta({ title: 'size' })
  .transform(readByteSize)

function readByteSize(text: string): number {
  const [, amount, unit = ''] = /^([\d.]+)([a-z]+)$/i.exec(text) ?? []
  const name = unit.toUpperCase()
  return Math.round(Number(amount) * 1024 ** (isUnit(name) ? unitPowers[name] : Number.NaN))
}

function isUnit(text: string): text is keyof typeof unitPowers {
  return Object.hasOwn(unitPowers, text)
}
