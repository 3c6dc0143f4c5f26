import { z } from 'zod'

/** The word `off`. YAML 1.1 readers give `false` for it. */
export const offSchema = z.union([z.literal('off'), z.literal(false)])
