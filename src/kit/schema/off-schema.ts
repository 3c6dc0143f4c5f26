import { z } from 'zod'

/** The word `off`, which YAML 1.1 readers return as `false`. */
export const offSchema = z.union([z.literal('off'), z.literal(false)])
