import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { scanObject } from '../../kit/json/scan-object.ts'
import { costField } from '../fields/add-cost.ts'
import type { UsagePath } from '../wire-format.ts'
import { setField, spliceBody } from './scan-body.ts'
import { type ScannedMember, scanInner } from './scan-member.ts'

/** Writes a price in dollars as a JSON number. Called only where there is a usage object to put it into. */
export type WriteCost = () => string | undefined

/**
 * Adds the cost to the usage in JSON bytes; every other byte stays unchanged. Undefined where there is no such usage or
 * no cost, or where the bytes hold more values or levels than any request may.
 */
export function spliceCost(json: Buffer, path: UsagePath, writeCost: WriteCost): Buffer | undefined {
  if (!json.includes(path.at(-1) ?? '')) return undefined
  const body = BodyBytes.from([json])
  const outer = scanObject(body)
  if ('fault' in outer) return undefined
  const usage = findInner({ body, fields: outer.members, insertAt: 0, isEmpty: false }, path)
  const cost = usage && writeCost()
  if (usage === undefined || cost === undefined) return undefined
  return Buffer.concat(spliceBody(body, [setField(usage, costField, cost)]))
}

function findInner(holder: ScannedMember, [name, ...inner]: readonly string[]): ScannedMember | undefined {
  if (name === undefined) return holder
  const field = holder.fields.get(name.toLowerCase())
  const member = field?.name === name ? scanInner(holder.body, field) : undefined
  return member === undefined || 'fault' in member ? undefined : findInner(member, inner)
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const DATA = Buffer.from('data:')

/** Adds the cost to an event of a stream. All services write the JSON of an event in one line of data. */
export function spliceFrameCost(frame: Buffer, path: UsagePath, writeCost: WriteCost): Buffer | undefined {
  const at = findDataLine(frame)
  if (at === undefined) return undefined
  const end = endOfLine(frame, at)
  const spliced = spliceCost(frame.subarray(at, end), path, writeCost)
  return spliced && Buffer.concat([frame.subarray(0, at), spliced, frame.subarray(end)])
}

/** Finds the offset at which the JSON of the only data line begins. */
function findDataLine(frame: Buffer): number | undefined {
  let found: number | undefined
  for (let at = frame.indexOf(DATA); at !== -1; at = frame.indexOf(DATA, endOfLine(frame, at))) {
    if (at > 0 && frame[at - 1] !== LINE_FEED && frame[at - 1] !== CARRIAGE_RETURN) continue
    if (found !== undefined) return undefined
    found = at + DATA.length
  }
  return found
}

function endOfLine(frame: Buffer, from: number): number {
  for (let at = from; at < frame.length; at += 1)
    if (frame[at] === LINE_FEED || frame[at] === CARRIAGE_RETURN) return at
  return frame.length
}
