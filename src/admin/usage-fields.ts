import { z } from 'zod'

/** The number of tokens of each class, and of calls of tools that the provider runs. */
export const usageClassesSchema = z.object({
  fresh_input_tokens: z.number(),
  cache_read_tokens: z.number(),
  cache_write_short_tokens: z.number(),
  cache_write_long_tokens: z.number(),
  output_tokens: z.number(),
  reasoning_tokens: z.number(),
  input_audio_tokens: z.number(),
  input_image_tokens: z.number(),
  cache_read_audio_tokens: z.number(),
  output_audio_tokens: z.number(),
  output_image_tokens: z.number(),
  accepted_prediction_tokens: z.number(),
  rejected_prediction_tokens: z.number(),
  tool_calls: z.record(z.string(), z.number()),
})

export const usageSchema = usageClassesSchema.extend({ estimated: z.boolean() })

export type UsageClassesView = Readonly<z.output<typeof usageClassesSchema>>
export type UsageView = Readonly<z.output<typeof usageSchema>>
