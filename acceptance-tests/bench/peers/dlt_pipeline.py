"""One list through dlt's rest_api source into JSON lines. Arguments: a config, and a folder that is empty."""

import json
import sys

import dlt
import requests
from dlt.sources.rest_api import rest_api_source

with open(sys.argv[1]) as file:
    config = json.load(file)
folder = sys.argv[2]
dlt.config["runtime.dlthub_telemetry"] = False
if config["compression"] == "plain":
    dlt.config["normalize.data_writer.disable_compression"] = True
credentials = {"clientId": config["client_id"], "clientSecret": config["client_secret"], "audience": "API"}
token = requests.post(config["auth_url"], json=credentials, timeout=60).json()["accessToken"]

pagination = "metadata.pagination"
ENDPOINTS = {
    "assets": {
        "paginator": {
            "type": "offset",
            "limit": config["page_size"],
            "total_path": f"{pagination}.totalCount",
        }
    },
    "alarms": {
        "params": {"limit": config["page_size"]},
        "paginator": {"type": "cursor", "cursor_path": f"{pagination}.nextCursor", "cursor_param": "after"},
    },
}
kind = config["kind"]
resource = {
    "name": kind,
    "primary_key": f"{kind[:-1]}Id",
    # nested members stay in their row
    "max_table_nesting": 0,
    "endpoint": {"path": kind, "data_selector": "items", **ENDPOINTS[kind]},
}
client = {"base_url": f"{config['base_url']}/v1/", "auth": {"type": "bearer", "token": token}}
dlt.pipeline(
    pipeline_name="bench",
    pipelines_dir=f"{folder}/work",
    destination=dlt.destinations.filesystem(bucket_url=f"file://{folder}/out"),
    dataset_name="data",
).run(rest_api_source({"client": client, "resources": [resource]}), loader_file_format="jsonl")
