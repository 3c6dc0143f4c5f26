"""Prices the cases of `price-truth.ts --write FILE` by LiteLLM's own functions, and names where the two differ.

    PYTHON compare-litellm.py FILE

PYTHON is one that has litellm (1.109.1, the version that the price table was made from). Nothing is asked of any network.
"""

import json
import math
import os
import sys
from collections import Counter, defaultdict

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm  # noqa: E402
from litellm.cost_calculator import cost_per_token  # noqa: E402
from litellm.types.utils import PromptTokensDetailsWrapper, Usage  # noqa: E402

LITELLM_PROVIDERS = {
    "azure-openai": ["azure", "azure_ai"],
    "bedrock": ["bedrock", "bedrock_converse", "bedrock_mantle"],
    "openai": ["openai", "text-completion-openai"],
    "vertex": ["vertex_ai"],
    "together": ["together_ai"],
    "qwen": ["dashscope"],
    "cohere": ["cohere_chat"],
}

# Where the two differ and why, by the first that applies. `right` is whose number the provider would bill.
EXCEPTIONS = [
    {
        "name": "cohere's billed units",
        "right": "Headgate",
        "applies": lambda case: case["provider"] == "cohere",
        "why": "Cohere bills `billed_units`; LiteLLM prices all tokens that the model read, Cohere's own prompt included.",
    },
    {
        "name": "searches",
        "right": "Headgate",
        "applies": lambda case: any(case["calls"].values()),
        "why": "LiteLLM's function prices tokens; it adds searches elsewhere, from other parts of an answer.",
    },
    {
        "name": "advisor",
        "right": "neither",
        "applies": lambda case: any(
            each.get("type") == "advisor_message" for each in case["usage"].get("iterations") or []
        ),
        "why": "LiteLLM leaves the advisor's tokens out; Headgate counts them at the rates of the model that was asked, and says that the row is estimated.",
    },
    {
        "name": "compaction",
        "right": "Headgate",
        "applies": lambda case: any(
            each.get("type") == "compaction" for each in case["usage"].get("iterations") or []
        ),
        "why": "What a summary of the conversation cost is billed and not among the totals; LiteLLM leaves it out.",
    },
    {
        "name": "details that are not the whole prompt",
        "right": "Headgate",
        "applies": lambda case: "promptTokenCount" in case["usage"]
        and sum(each.get("tokenCount", 0) for each in case["usage"].get("promptTokensDetails") or [])
        < case["usage"]["promptTokenCount"],
        "why": "`promptTokenCount` is the total; LiteLLM prices the tokens that the details name.",
    },
    {
        "name": "mistral's cached tokens",
        "right": "Headgate",
        "applies": lambda case: case["usage"].get("num_cached_tokens", 0) > 0,
        "why": "Mistral counts what was read from a cache in `num_cached_tokens`; LiteLLM does not read it.",
    },
    {
        "name": "mistral's sound",
        "right": "Headgate",
        "applies": lambda case: case["usage"].get("prompt_audio_seconds") is not None,
        "why": "`prompt_tokens` is the text alone, as the total shows; LiteLLM leaves the text out.",
    },
    {
        "name": "parts that are more than the whole",
        "right": "Headgate",
        "applies": lambda case: sum(
            (case["usage"].get("completion_tokens_details") or {}).get(name) or 0
            for name in ("reasoning_tokens", "audio_tokens")
        )
        > (case["usage"].get("completion_tokens") or 0),
        "why": "An output of 4 tokens of which 3 are reasoning and 4 audio: no token is billed twice.",
    },
    {
        "name": "cached tokens beside the prompt",
        "right": "Headgate",
        "applies": lambda case: (
            (case["usage"].get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        )
        > (case["usage"].get("prompt_tokens") or 0),
        "why": "Azure's Grok counts cached text beside a prompt whose parts fill it; LiteLLM takes it from the prompt, which leaves less than nothing.",
    },
    {
        "name": "prices by the hour",
        "right": "both",
        "applies": lambda case: case["provider"] == "deepseek",
        "why": "LiteLLM prices at the moment at which it runs; the cases are priced on a Monday at noon UTC.",
    },
]


def usage_of(case):
    """The usage as LiteLLM itself reads it from the provider's words."""
    raw, api = case["usage"], case["api"]
    if api in ("anthropic.messages", "bedrock.invoke"):
        from litellm.llms.anthropic.chat.transformation import AnthropicConfig

        return AnthropicConfig().calculate_usage(usage_object=raw, reasoning_content=None)
    if api == "gemini.generateContent":
        from litellm.llms.vertex_ai.gemini.vertex_and_google_ai_studio_gemini import VertexGeminiConfig

        return VertexGeminiConfig._calculate_usage(completion_response={"usageMetadata": raw})
    if api == "openai.responses":
        from litellm.responses.utils import ResponseAPILoggingUtils

        return ResponseAPILoggingUtils._transform_response_api_usage_to_chat_usage(raw)
    if api == "bedrock.converse":
        from litellm.llms.bedrock.chat.converse_transformation import AmazonConverseConfig

        return AmazonConverseConfig().transform_usage(raw)
    if api == "cohere.chat":
        tokens = raw.get("tokens") or raw.get("billed_units") or {}
        said = int(tokens.get("output_tokens") or 0)
        read = int(tokens.get("input_tokens") or 0)
        return Usage(prompt_tokens=read, completion_tokens=said, total_tokens=read + said)
    return Usage(**{name: value for name, value in raw.items() if value is not None})


def cost_of(case):
    usage = usage_of(case)
    tier = None if case["tier"] == "standard" else case["tier"]
    error = None
    for provider in LITELLM_PROVIDERS.get(case["provider"], [case["provider"]]):
        try:
            prompt, completion = cost_per_token(
                model=case["model"], custom_llm_provider=provider, usage_object=usage, service_tier=tier
            )
            return prompt + completion
        except Exception as failed:  # It has the model under another of its providers, or not at all.
            error = error or failed
    raise error


def main():
    counts, listed, shown = Counter(), defaultdict(list), 0
    for line in open(sys.argv[1], encoding="utf-8"):
        case = json.loads(line)
        ours = case["nano"]
        try:
            dollars = cost_of(case)
        except Exception as error:  # LiteLLM has no price, or cannot read the words.
            counts[f"LiteLLM has no cost: {type(error).__name__}"] += 1
            listed["no cost"].append((case["id"], case["provider"], case["model"], str(error)[:120]))
            continue
        exact = dollars * 1e9
        # Headgate rounds up once; a float of LiteLLM may lie a little beside the number that it stands for.
        if abs(exact - ours) <= 1 + 1e-9 * abs(exact):
            counts["equal within a nano-dollar"] += 1
            continue
        theirs = math.ceil(exact - 1e-6)
        found = next((each for each in EXCEPTIONS if each["applies"](case)), None)
        name = f"listed: {found['name']}" if found else "UNEXPLAINED"
        counts[name] += 1
        listed[name].append((case["id"], case["provider"], case["model"], f"headgate {ours}, litellm {theirs}", json.dumps(case["usage"])[:400]))
    for name, number in sorted(counts.items()):
        print(f"{number:6}  {name}")
    for each in EXCEPTIONS:
        print(f"{each['name']}: {each['right']} is right. {each['why']}")
    if "-v" in sys.argv:
        for name, rows in listed.items():
            for row in rows:
                print(name, *row)
    for row in listed["UNEXPLAINED"]:
        print("UNEXPLAINED", *row)
    sys.exit(1 if listed["UNEXPLAINED"] else 0)


main()
