import { z } from 'zod'

/** The word `off`, which YAML 1.1 readers take for `false`. */
export const offSchema = z.union([z.literal('off'), z.literal(false)])
