import type { RawCase } from '../raw-case.ts'
import { codingCases } from './codings.ts'
import { credentialCases } from './credentials.ts'
import { encodingCases } from './encodings.ts'
import { headCases } from './heads.ts'
import { jsonCases } from './json-bodies.ts'
import { lengthCases } from './lengths.ts'
import { limitCases } from './limits.ts'
import { methodCases } from './methods.ts'
import { targetCases } from './targets.ts'

/** Every case, by what it is about. */
export const allCases: Readonly<Record<string, readonly RawCase[]>> = {
  lengths: lengthCases,
  codings: codingCases,
  heads: headCases,
  targets: targetCases,
  methods: methodCases,
  limits: limitCases,
  encodings: encodingCases,
  credentials: credentialCases,
  json: jsonCases,
}
