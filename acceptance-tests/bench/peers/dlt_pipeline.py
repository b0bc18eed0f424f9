"""The assets list through dlt's rest_api source into JSON lines. Arguments: token address, base address, page size, folder."""

import sys

import dlt
import requests
from dlt.sources.rest_api import rest_api_source

auth_url, base_url, page_size, folder = sys.argv[1:]
credentials = {"clientId": "bench", "clientSecret": "bench-secret", "audience": "API"}
token = requests.post(auth_url, json=credentials, timeout=60).json()["accessToken"]

source = rest_api_source(
    {
        "client": {"base_url": f"{base_url}/v1/", "auth": {"type": "bearer", "token": token}},
        "resources": [
            {
                "name": "assets",
                "primary_key": "assetId",
                # nested members stay in their row
                "max_table_nesting": 0,
                "endpoint": {
                    "path": "assets",
                    "data_selector": "items",
                    "paginator": {
                        "type": "offset",
                        "limit": int(page_size),
                        "total_path": "metadata.pagination.totalCount",
                    },
                },
            }
        ],
    }
)
dlt.pipeline(
    pipeline_name="bench",
    pipelines_dir=f"{folder}/work",
    destination=dlt.destinations.filesystem(bucket_url=f"file://{folder}/out"),
    dataset_name="data",
).run(source, loader_file_format="jsonl")
