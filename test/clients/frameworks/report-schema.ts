import { z } from 'zod'

/** The answer that is asked for with each library's own way to ask for a shape. */
export const reportSchema = z.object({ city: z.string(), degrees: z.number() })

/** The input of the tool `look_up`. */
export const lookUpSchema = z.object({ city: z.string().describe('The name of a city') })
export const lookUpDescription = 'Says what the weather is in a city.'
