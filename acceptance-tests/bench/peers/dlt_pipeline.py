"""One list through dlt's rest_api source into JSON lines. Arguments: --config FILE. With SHOW_ROWS its files are printed too."""

import json
import os
import sys
import tempfile
from pathlib import Path

import dlt
import requests
from dlt.sources.rest_api import rest_api_source

config = json.loads(Path(sys.argv[2]).read_text())
kind = config["kind"]
dlt.config["runtime.dlthub_telemetry"] = False
if not config["isCompressed"]:
    dlt.config["normalize.data_writer.disable_compression"] = True
credentials = {"clientId": config["client_id"], "clientSecret": config["client_secret"], "audience": "API"}
token = requests.post(config["auth_url"], json=credentials, timeout=60).json()["accessToken"]

pagination = "metadata.pagination"
ENDPOINTS = {
    "assets": {
        "paginator": {"type": "offset", "limit": config["page_size"], "total_path": f"{pagination}.totalCount"}
    },
    "alarms": {
        "params": {"limit": config["page_size"]},
        "paginator": {"type": "cursor", "cursor_path": f"{pagination}.nextCursor", "cursor_param": "after"},
    },
}
resource = {
    "name": kind,
    "primary_key": f"{kind[:-1]}Id",
    # nested members stay in their row
    "max_table_nesting": 0,
    "endpoint": {"path": kind, "data_selector": "items", **ENDPOINTS[kind]},
}
client = {"base_url": f"{config['base_url']}/v1/", "auth": {"type": "bearer", "token": token}}
# a new folder, because a second run in the same one would resume and find no rows
with tempfile.TemporaryDirectory(dir=".") as folder:
    dlt.pipeline(
        pipeline_name="bench",
        pipelines_dir=f"{folder}/work",
        destination=dlt.destinations.filesystem(bucket_url=Path(folder, "out").absolute().as_uri()),
        dataset_name="data",
    ).run(rest_api_source({"client": client, "resources": [resource]}), loader_file_format="jsonl")
    if "SHOW_ROWS" in os.environ:
        for file in Path(folder).glob(f"out/data/{kind}/*.jsonl"):
            for row in file.open():
                print(f'{{"type":"RECORD","stream":"{kind}","record":{row.rstrip()}}}')
