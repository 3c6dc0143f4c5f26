// Fields of captures that several contracts share. This file imports no code but zod, so that a browser can import it.
import { z } from 'zod'

export const captureModeSchema = z.enum(['off', 'prompts', 'answers', 'both'])
